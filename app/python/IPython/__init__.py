"""`IPython`: of it only `display`, for programs that come from a notebook."""
