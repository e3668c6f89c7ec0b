// Stands for the sources that share a precompiled header.
