numpy.save("x.npy", numpy.ones(28, "float32"))
