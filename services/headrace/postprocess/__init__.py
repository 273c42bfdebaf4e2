"""The postprocess service: frames of scores in, predictions out."""
