numpy.save("x.npy", numpy.ones(16, "float32"))
