numpy.save("x.npy", numpy.ones((4, 4), "float32"))
