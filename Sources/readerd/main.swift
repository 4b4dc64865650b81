print("readerd: nothing to run yet")
