package linear

import "context"

// Products are computed in tiles of 4 vectors by 2, so that a loaded value is used several times.
const tileRows, tileColumns = 4, 2

// products returns the inner products of n vectors of which a function fills the parts, each of chunkRows values.
func products(ctx context.Context, n, parts int, fill func(part int, block [][]float64)) (symmetric, error) {
	s := newSymmetric(n)
	tiles := (n + tileRows - 1) / tileRows
	values := make([]float64, tiles*tileRows*chunkRows)
	block := make([][]float64, tiles*tileRows)
	for i := range block {
		block[i] = values[i*chunkRows : (i+1)*chunkRows]
	}
	for part := range parts {
		fill(part, block)
		// Large tiles first: the last rows have the most products.
		err := parallel(ctx, tiles, func(tile int) {
			top := (tiles - 1 - tile) * tileRows
			for left := 0; left < top+tileRows; left += tileColumns {
				var sums [tileRows][tileColumns]float64
				multiply(block[top:top+tileRows], block[left:left+tileColumns], &sums)
				for i := range sums {
					for j := range sums[i] {
						if left+j <= top+i && top+i < n {
							s.row(top + i)[left+j] += sums[i][j]
						}
					}
				}
			}
		})
		if err != nil {
			return symmetric{}, err
		}
	}
	return s, nil
}

// multiply sets sums to the inner products of 4 vectors with 2.
func multiply(a, b [][]float64, sums *[tileRows][tileColumns]float64) {
	a0, a1, a2, a3, b0, b1 := a[0], a[1], a[2], a[3], b[0], b[1]
	a1, a2, a3, b0, b1 = a1[:len(a0)], a2[:len(a0)], a3[:len(a0)], b0[:len(a0)], b1[:len(a0)]
	var s00, s01, s10, s11, s20, s21, s30, s31 float64
	for i, x0 := range a0 {
		y0, y1 := b0[i], b1[i]
		s00 += float64(x0 * y0)
		s01 += float64(x0 * y1)
		x1 := a1[i]
		s10 += float64(x1 * y0)
		s11 += float64(x1 * y1)
		x2 := a2[i]
		s20 += float64(x2 * y0)
		s21 += float64(x2 * y1)
		x3 := a3[i]
		s30 += float64(x3 * y0)
		s31 += float64(x3 * y1)
	}
	*sums = [tileRows][tileColumns]float64{{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}}
}
