package samples

// labToRGB converts CIE L*a*b* with the white of D50 to sRGB (IEC 61966-2-1), adapted to D65 with the matrix of Bradford.
func labToRGB(l, a, b float64) (red, green, blue byte) {
	inverse := func(t float64) float64 {
		if t > 6.0/29 {
			return t * t * t
		}
		return 3 * (6.0 / 29) * (6.0 / 29) * (t - 4.0/29)
	}
	fy := (l + 16) / 116
	x, y, z := 0.96422*inverse(fy+a/500), inverse(fy), 0.82521*inverse(fy-b/200)
	return encode(3.1338561*x - 1.6168667*y - 0.4906146*z), encode(-0.9787684*x + 1.9161415*y + 0.0334540*z), encode(0.0719453*x - 0.2289914*y + 1.4052427*z)
}
