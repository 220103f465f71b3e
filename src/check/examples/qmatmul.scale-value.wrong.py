numpy.save("x.npy", numpy.array([0], "float32"))
