numpy.save("x.npy", numpy.array([0.5], "float32"))
