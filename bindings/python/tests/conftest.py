"""What holds for all tests: how long one example of a property takes says more of the machine than of the package."""

try:
    from hypothesis import settings
except ImportError:  # Then the properties are skipped.
    pass
else:
    settings.register_profile("any machine", deadline=None)
    settings.load_profile("any machine")
