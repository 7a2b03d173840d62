"""The development services themselves: that each answers, at the URL that tests are given."""
