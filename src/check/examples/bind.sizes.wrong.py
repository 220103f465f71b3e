numpy.save("x.npy", numpy.ones((4, 5), "float32"))
