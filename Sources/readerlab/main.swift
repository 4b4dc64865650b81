print("readerlab: nothing to run yet")
