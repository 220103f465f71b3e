numpy.save("x.npy", numpy.asfortranarray(numpy.ones((4, 4), "float32")))
