"""The controller's side of the Wiki protocol: what an external scheduler asks and orders."""
