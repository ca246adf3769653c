"""`IPython.display`: there is no notebook, so what is displayed is printed."""


class HTML:
    def __init__(self, data=None, url=None, filename=None, metadata=None):
        self.data = data

    def __repr__(self):
        return "<IPython.core.display.HTML object>"


Markdown = Latex = HTML


def display(*objects, **kwargs):
    for each in objects:
        print(each)


def clear_output(wait=False):
    pass
