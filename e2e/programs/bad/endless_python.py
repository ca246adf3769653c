print("about to spin")
n = 0
while True:
    n += 1
