"""`tqdm`: loops as they are, with the methods that programs call. No bar is drawn: the Output panel keeps
lines, and a bar is one line drawn over and over.
"""


class tqdm:
    def __init__(self, iterable=None, desc=None, total=None, **_):
        self.iterable = iterable
        self.desc = desc or ""
        self.total = len(iterable) if total is None and hasattr(iterable, "__len__") else total
        self.n = 0

    def __iter__(self):
        for item in self.iterable:
            yield item
            self.n += 1

    def __len__(self):
        if self.total is None:
            raise TypeError("object of type 'tqdm' has no len()")
        return self.total

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def update(self, n=1):
        self.n += n

    def reset(self, total=None):
        self.n = 0
        self.total = self.total if total is None else total

    def set_description(self, desc=None, refresh=True):
        self.desc = desc or ""

    set_description_str = set_description

    def set_postfix(self, ordered_dict=None, refresh=True, **values):
        pass

    def set_postfix_str(self, s="", refresh=True):
        pass

    def refresh(self, *_, **__):
        pass

    clear = refresh

    def close(self):
        pass

    @classmethod
    def write(cls, s, file=None, end="\n", nolock=False):
        print(s, file=file, end=end)


def trange(*args, **kwargs):
    return tqdm(range(*args), **kwargs)


tqdm_notebook = tqdm
