"""What is behind `torch.library`: schemas, and operators that programs register."""
