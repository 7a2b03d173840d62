"""What runs Lockstep: services for development, the demonstration, the sample corpus."""
