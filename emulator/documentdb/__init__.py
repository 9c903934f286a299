"""The management plane of Microsoft.DocumentDB, for accounts of Cosmos DB for NoSQL.

Not emulated, and refused by name: other APIs, several regions, restoring, account keys, own role definitions, roles on a
part of an account, and changes of throughput.
"""
