"""What is known of OpenShift's releases and images."""
