"""The program that Check runs: the visitor's program under the lesson's hidden checks."""

import sys
import types

# Not imported: its frames must not count as lines of the visitor's program.
with open("lesson_harness.py", encoding="utf-8") as file:
    text = file.read()
lesson = types.ModuleType("lesson")
sys.modules["lesson"] = lesson
exec(compile(text, "<lesson>", "exec"), lesson.__dict__)
lesson.main(PROGRAM, "lesson_checks.py")
