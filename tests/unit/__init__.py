"""Tests of single parts, without a store or a network."""
