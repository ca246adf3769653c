"""`tritonparse`: of it only what the reproducers that it writes import. Traces are read by the page."""
