"""What stands around attention in a layer: norms, biases, rotation, feed-forward nets, blocks."""
