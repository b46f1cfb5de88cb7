print("tidelog-bench")
