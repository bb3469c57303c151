"""The rules of C and C++ by which its names are resolved."""
