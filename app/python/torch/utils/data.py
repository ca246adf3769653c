"""`torch.utils.data`: datasets and loaders, in the process that has the program."""

import torch


class Dataset:
    def __getitem__(self, index):
        raise NotImplementedError

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    pass


class TensorDataset(Dataset):
    def __init__(self, *tensors):
        if any(t.shape[0] != tensors[0].shape[0] for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(t[index] for t in self.tensors)

    def __len__(self):
        return self.tensors[0].shape[0]


class ConcatDataset(Dataset):
    def __init__(self, datasets):
        self.datasets = list(datasets)

    def __len__(self):
        return sum(map(len, self.datasets))

    def __getitem__(self, index):
        index = index + len(self) if index < 0 else index
        for dataset in self.datasets:
            if index < len(dataset):
                return dataset[index]
            index -= len(dataset)
        raise IndexError(index)


class Subset(Dataset):
    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    total = len(dataset)
    if sum(lengths) <= 1:
        lengths = [int(total * part) for part in lengths]
        for i in range(total - sum(lengths)):
            lengths[i % len(lengths)] += 1
    if sum(lengths) != total:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order, at, parts = torch.randperm(total, generator=generator).tolist(), 0, []
    for length in lengths:
        parts.append(Subset(dataset, order[at : at + length]))
        at += length
    return parts


def default_collate(batch):
    first = batch[0]
    if isinstance(first, torch.Tensor):
        return torch.stack(batch)
    if isinstance(first, (int, float)):
        return torch.tensor(batch, dtype=torch.float64 if isinstance(first, float) else None)
    if isinstance(first, dict):
        return {key: default_collate([each[key] for each in batch]) for key in first}
    if isinstance(first, (tuple, list)):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(list(part)) for part in zip(*batch)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    if type(first).__module__ == "numpy":
        return default_collate([torch.as_tensor(each) for each in batch])
    if isinstance(first, (str, bytes)):
        return batch
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}"
    )


class Sampler:
    """An order of indices."""

    def __iter__(self):
        raise NotImplementedError


class SequentialSampler(Sampler):
    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


def _seed(generator=None):
    """A number of 63 bits, drawn as PyTorch draws the seeds of its loaders."""
    return int(torch.empty((), dtype=torch.int64).random_(generator=generator).item())


class RandomSampler(Sampler):
    """Without a generator, each pass has one of its own, seeded from the default one."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._samples = num_samples
        if self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self):
        return len(self.data_source) if self._samples is None else self._samples

    def __iter__(self):
        n, left = len(self.data_source), self.num_samples
        generator = self.generator or torch.Generator().manual_seed(_seed())
        if self.replacement:
            for at in range(0, left, 32):
                yield from torch.randint(n, (min(32, left - at),), dtype=torch.int64, generator=generator).tolist()
            return
        for _ in range(left // n):
            yield from torch.randperm(n, generator=generator).tolist()
        # As PyTorch, it draws an order for the rest even where there is none.
        yield from torch.randperm(n, generator=generator).tolist()[: left % n]

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler):
    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in torch.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class BatchSampler(Sampler):
    def __init__(self, sampler, batch_size, drop_last):
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self):
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


class DataLoader:
    """Workers, pinned memory and prefetching change nothing here: batches are made when they are asked for."""

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, generator=None, **options):  # fmt: skip
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
            )
        if batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if batch_size is not None and batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if batch_sampler is not None:
            batch_size = None
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.generator, self.num_workers = generator, num_workers
        if sampler is None and not self._is_stream:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_sampler is None and batch_size is not None and not self._is_stream:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.sampler, self.batch_sampler = sampler, batch_sampler
        batched = batch_size is not None or batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate if batched else lambda x: x)

    def __iter__(self):
        # PyTorch seeds its workers with it, whether there are any or not.
        _seed(self.generator)
        return map(self.collate_fn, self._stream()) if self._is_stream else self._of_indices()

    def _of_indices(self):
        if self.batch_sampler is None:
            for index in self.sampler:
                yield self.collate_fn(self.dataset[index])
            return
        for batch in self.batch_sampler:
            yield self.collate_fn([self.dataset[i] for i in batch])

    @property
    def _is_stream(self):
        return isinstance(self.dataset, IterableDataset)

    def _stream(self):
        """Items of a dataset without indices, or lists of them."""
        if self.batch_size is None:
            return self.dataset
        return BatchSampler(self.dataset, self.batch_size, self.drop_last)

    def __len__(self):
        if self._is_stream:
            return len(self._stream())
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)


def __getattr__(name):
    from .._missing import missing

    raise missing("torch.utils.data", name, globals())
