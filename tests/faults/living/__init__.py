"""Operations on a cluster that lives: stop, start, revocation of credentials, renewal."""
