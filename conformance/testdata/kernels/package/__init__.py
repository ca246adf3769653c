raise ImportError("what the package itself needs is not here")
