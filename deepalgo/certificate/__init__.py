"""The certificate: a network and the function it was made from, side by side, sample by sample.

`Network.verify` calls `verify`. The function itself is the oracle: its answers, its errors, the lines it runs through and its
finite differences are held against the network's.
"""

from deepalgo.certificate.report import Arms, ByWeights, Certificate, Dead, Gradients, LoopRounds
from deepalgo.certificate.verify import verify

__all__ = ["Arms", "ByWeights", "Certificate", "Dead", "Gradients", "LoopRounds", "verify"]
