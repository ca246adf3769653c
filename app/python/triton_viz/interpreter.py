"""`triton_viz.interpreter`."""


class _Record:
    def reset(self):
        pass


record_builder = _Record()
