"""Grid Engine's complex attributes: definitions, values, requests and their match on three levels.

Two readings of the language are kept: "8.1", what Grid Engine 8.1.9 does, and "6.0", what the specification of
2003 says.
"""
