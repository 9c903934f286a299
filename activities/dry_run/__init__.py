"""The dry run of a plan on a cluster: what each row would do, without any change."""
