package attr

// Cmp returns -1, 0 or 1 as n is less than, equal to or greater than m.
func (n Number) Cmp(m Number) int {
	if n == m {
		return 0
	}
	if sign := n.sign() - m.sign(); sign != 0 {
		return max(min(sign, 1), -1)
	}
	if n.neg {
		n, m = m, n
	}
	// Both are positive from here on. Compare magnitudes, then digits.
	nTop, mTop := n.digits()+int(n.exp), m.digits()+int(m.exp)
	if nTop != mTop {
		if nTop < mTop {
			return -1
		}
		return 1
	}
	a, b := uint128{n.hi, n.lo}, uint128{m.hi, m.lo}
	// Equal magnitudes: extending the shorter coefficient to the longer one's
	// length keeps both below 10^38.
	for range max(int(n.exp)-int(m.exp), 0) {
		a = a.times10()
	}
	for range max(int(m.exp)-int(n.exp), 0) {
		b = b.times10()
	}
	if a.less(b) {
		return -1
	}
	return 1
}

func (n Number) sign() int {
	switch {
	case n.IsZero():
		return 0
	case n.neg:
		return -1
	}
	return 1
}

// Neg returns -n.
func (n Number) Neg() Number {
	n.neg = !n.neg && !n.IsZero()
	return n
}

// Sub returns n-m exactly. It returns the same errors as Add.
func (n Number) Sub(m Number) (Number, error) { return n.Add(m.Neg()) }

// Add returns n+m exactly. If the sum has more than 38 significant digits or
// leaves the range of numbers, the error is a *ValidationError.
func (n Number) Add(m Number) (Number, error) {
	if n.IsZero() {
		return m, nil
	}
	if m.IsZero() {
		return n, nil
	}
	if n.exp < m.exp {
		n, m = m, n
	}
	// Scale n, whose last digit has the higher power of ten, to m's power of ten.
	// The last digit of m is then also that of the sum, so a term of 2·10^38 or
	// more means a sum above 10^38, which has 39 digits.
	a, b := uint128{n.hi, n.lo}, uint128{m.hi, m.lo}
	for range n.exp - m.exp {
		if !a.less(twoE37()) {
			return Number{}, &ValidationError{msgPrecision}
		}
		a = a.times10()
	}
	var sum Number
	switch {
	case n.neg == m.neg:
		sum = canonical(n.neg, a.plus(b), m.exp)
	case a.less(b):
		sum = canonical(m.neg, b.minus(a), m.exp)
	default:
		sum = canonical(n.neg, a.minus(b), m.exp)
	}
	if sum.IsZero() {
		return sum, nil
	}
	digits := sum.digits()
	if err := checkRange(int64(sum.exp)+int64(digits)-1, digits); err != nil {
		return Number{}, err
	}
	return sum, nil
}

// twoE37 returns 2·10^37, a tenth of the largest allowed term. Ten times a larger
// value might not fit in 128 bits.
func twoE37() uint128 { return uint128{0x0F0BDC21ABB48DB2, 0x01E86D4000000000} }

// canonical returns ±coef·10^exp without trailing zeros in the coefficient.
func canonical(neg bool, coef uint128, exp int16) Number {
	if coef == (uint128{}) {
		return Number{}
	}
	for {
		quotient, remainder := coef.divide(10)
		if remainder != 0 {
			return Number{hi: coef.hi, lo: coef.lo, exp: exp, neg: neg}
		}
		coef, exp = quotient, exp+1
	}
}
