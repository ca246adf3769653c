"""`triton.experimental`: Gluon's portable core."""
