package tree

import "math"

// node is a node of a tree. The nodes of a tree are in an array in which the left child of a node follows the node.
type node struct {
	value   float64 // threshold, up to which rows go left; of a leaf its value
	feature int32   // -1: leaf
	right   int32   // index of the right child
}

// leaf is the feature of a leaf.
const leaf = -1

// walk returns the value of the leaf of a row.
func walk(nodes []node, x []float64) float64 {
	i := int32(0)
	for {
		n := &nodes[i]
		switch {
		case n.feature < 0:
			return n.value
		case x[n.feature] <= n.value:
			i++
		default:
			i = n.right
		}
	}
}

// between returns about the middle of two values, lower < upper: at least lower, and less than upper. It is a float32 if one
// is between them.
func between(lower, upper float64) float64 {
	middle := float64(lower/2) + float64(upper/2) // lower+upper could overflow
	if short := float64(float32(middle)); lower <= short && short < upper {
		return short
	}
	if lower <= middle && middle < upper {
		return middle
	}
	return lower
}

// leafValue rounds the value of a leaf to a float32, which takes half the memory in a file, unless that is less accurate than
// usual since the value is very great or small.
func leafValue(v float64) float64 {
	short := float64(float32(v))
	if math.Abs(short-v) > float64(1e-7*math.Abs(v)) {
		return v
	}
	return short
}

// normalize divides values by their sum, unless that is 0.
func normalize(values []float64) {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	if sum > 0 {
		for i := range values {
			values[i] /= sum
		}
	}
}
