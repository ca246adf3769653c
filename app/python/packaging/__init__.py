"""`packaging`: of it only `version`, which programs compare the versions of their libraries with."""
