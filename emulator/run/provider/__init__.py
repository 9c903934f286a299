"""The resource provider on the local Azure: deployed from `infra/` at `up`, registered, its catalogue filled."""
