"""Fakes that take the least convenient behaviour their port allows, for our tests and for our users'."""
