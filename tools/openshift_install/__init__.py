"""A stand-in for the program `openshift-install`, for laptops and tests, which have no pull secret for the real one.

It speaks like the program of OpenShift 4.16 and later: it reads the same install-config, refuses what that refuses in
the same words, and leaves the same files. What nobody else has to make, it takes from `installer/`.
"""
