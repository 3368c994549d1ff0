package tensor

const (
	tileRows    = 4
	tileColumns = 16
)

// tile is a part of a matrix product in row-major order.
type tile [tileRows * tileColumns]float32

// kernels are the inner loops. They round each product before they add it, so that all kernels return identical results.
type kernels struct {
	multiply   kernel
	accumulate func(sums, a, b []float32) // adds the products of a and b to sums; all have the same length
	positive   func(values []float32)     // replaces values that are not positive by zero
}

// portable are the kernels for all processors.
var portable = kernels{multiplyPortable, accumulatePortable, positivePortable}

// kernel adds a matrix product to c. a has tileRows rows of k numbers, stride numbers apart, and b has
// k rows of tileColumns numbers. Products are added in the order of k.
type kernel func(k int, a []float32, stride int, b []float32, c *tile)

func positivePortable(values []float32) {
	for i, v := range values {
		if !(v > 0) {
			values[i] = 0
		}
	}
}

func accumulatePortable(sums, a, b []float32) {
	a, b = a[:len(sums)], b[:len(sums)]
	for i := range sums {
		sums[i] += float32(a[i] * b[i])
	}
}

func multiplyPortable(k int, a []float32, stride int, b []float32, c *tile) {
	a0, a1, a2, a3 := a[:k], a[stride:][:k], a[2*stride:][:k], a[3*stride:][:k]
	for column := 0; column < tileColumns; column += 4 { // four columns, whose sums fit in the registers
		c0, c1, c2, c3 := c[column:][:4], c[tileColumns+column:][:4], c[2*tileColumns+column:][:4], c[3*tileColumns+column:][:4]
		for p := range k {
			f := b[p*tileColumns+column:][:4]
			addProducts(c0, a0[p], f)
			addProducts(c1, a1[p], f)
			addProducts(c2, a2[p], f)
			addProducts(c3, a3[p], f)
		}
	}
}

// addProducts rounds each product with a conversion, which prevents fused multiply-add.
func addProducts(c []float32, a float32, b []float32) {
	_, _ = c[3], b[3]
	c[0] += float32(a * b[0])
	c[1] += float32(a * b[1])
	c[2] += float32(a * b[2])
	c[3] += float32(a * b[3])
}

// panels is a matrix of k rows, stored as panels of tileColumns columns in row-major order. The last
// panel is padded with zeros.
type panels struct {
	k, n int
	data []float32
}

func packed(matrix []float32, k, n int) panels {
	p := panels{k: k, n: n, data: make([]float32, (n+tileColumns-1)/tileColumns*k*tileColumns)}
	for column := 0; column < n; column += tileColumns {
		panel := p.data[column*k:]
		for row := range k {
			copy(panel[row*tileColumns:][:min(tileColumns, n-column)], matrix[row*n+column:(row+1)*n])
		}
	}
	return p
}
