print("tidelog")
