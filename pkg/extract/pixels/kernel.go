package pixels

import "math"

// Number of fractional bits of the fixed-point weights.
const (
	weightBits = 14
	one        = 1 << weightBits
)

// taps holds the weights for resampling a line: result sample i is the weighted sum of n source
// samples from first[i] on, with the weights weights[i*n : (i+1)*n].
type taps struct {
	n       int
	first   []int
	weights []int32
}

// kernel is an interpolation function that is 0 beyond a radius, in samples.
type kernel struct {
	at     func(float64) float64
	radius float64
}

// newTaps returns the taps for resampling a line of the given length to the given number of samples,
// which are scale apart. The kernel is widened by scale if that is more than 1.
// Where it extends beyond the ends, the remaining weights are scaled up.
func newTaps(samples, length int, scale float64, k kernel) taps {
	widen := max(scale, 1)
	support := float64(k.radius * widen)
	t := taps{n: min(int(math.Ceil(2*support))+1, length)}
	t.first = make([]int, samples)
	t.weights = make([]int32, samples*t.n)
	raw := make([]float64, t.n)
	for i := range samples {
		center := float64(float64(float64(i)+0.5)*scale) - 0.5
		begin := max(int(math.Ceil(center-support)), 0)
		end := min(int(math.Floor(center+support)), length-1)
		first := min(begin, length-t.n)
		clear(raw)
		sum := 0.0
		for at := begin; at <= end; at++ {
			w := k.at(float64(float64(at)-center) / widen)
			raw[at-first] = w
			sum += w
		}
		t.first[i] = first
		fix(t.weights[i*t.n:(i+1)*t.n], raw, sum)
	}
	return t
}

// fix rounds weights to fixed point. The largest weight absorbs the rounding error, so that they add
// up to exactly one.
func fix(fixed []int32, raw []float64, sum float64) {
	rest, largest := int32(one), 0
	for i, w := range raw {
		fixed[i] = int32(math.RoundToEven(float64(w / sum * one)))
		rest -= fixed[i]
		if fixed[i] > fixed[largest] {
			largest = i
		}
	}
	fixed[largest] += rest
}

// catmullRom is the cubic kernel of Catmull and Rom (1974), which is that of Keys (1981) with a =
// -0.5. The conversions prevent fused multiply-add instructions, which not all processors have.
func catmullRom(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1:
		return float64(float64(float64(float64(1.5*x)-2.5)*x)*x) + 1
	case x < 2:
		return float64(float64(float64(float64(float64(float64(-0.5*x)+2.5)*x)-4)*x) + 2)
	}
	return 0
}

// lanczos3 is the windowed sinc of Lanczos with three lobes: sinc(x) × sinc(x/3).
func lanczos3(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1e-6:
		return 1
	case x < 3:
		return float64(3*float64(sinPi(x)*sinPi(float64(x/3)))) / float64(float64(math.Pi*math.Pi)*float64(x*x))
	}
	return 0
}

// sinPi returns sin(πx) by its Taylor series, to about 1e-12. Unlike math.Sin, it is the same on every processor.
func sinPi(x float64) float64 {
	turns := math.RoundToEven(x)
	angle := float64((x - turns) * math.Pi) // -π/2 to π/2
	term, sum := angle, angle
	for n := 2.0; n < 20; n += 2 {
		term = -float64(float64(term*float64(angle*angle)) / float64(n*(n+1)))
		sum += term
	}
	if math.Mod(turns, 2) != 0 {
		return -sum
	}
	return sum
}
