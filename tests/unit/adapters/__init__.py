"""What single adapters do beyond the contract of their port."""
