"""Cuts normalised texts into passages: by structure first, by content where a part is too long for the model."""
