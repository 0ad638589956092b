"""The language: programs of named steps, and all that follows from one.

It knows no attention: arrays, letters and their meanings stand in programs.
"""
