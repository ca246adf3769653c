"""The entry of the solution's worker."""

import types

# Not imported: its frames must not count as lines of the program.
with open("judge_solution.py", encoding="utf-8") as file:
    text = file.read()
served = types.ModuleType("judge_solution")
exec(compile(text, "<judge>", "exec"), served.__dict__)
served.serve(PROGRAM)
