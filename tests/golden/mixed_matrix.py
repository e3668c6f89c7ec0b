#!/usr/bin/env python3
"""Writes mixed_matrix.csv: elements of the matrices of HPL-MxP, from the published formulas alone.

The generators step through x <- 6364136223846793005 x + 1 mod 2^64, one step an element; column
`order` is the right-hand side. Values are exact, as hexadecimal floats.
"""

import math

MULTIPLIER, MODULUS = 6364136223846793005, 2**64
BETA = 0.005


def state(seed, steps):
    """The state after so many steps: the affine map, squared and multiplied."""
    multiplier, increment = 1, 0
    power = (MULTIPLIER, 1)
    while steps:
        if steps & 1:
            multiplier, increment = power[0] * multiplier % MODULUS, (power[0] * increment + power[1]) % MODULUS
        power = power[0] ** 2 % MODULUS, (power[0] + 1) * power[1] % MODULUS
        steps >>= 1
    return (multiplier * seed + increment) % MODULUS


def netlib(order, i, j):
    """HPL_rand.c, HPL_pdmatgen.c."""
    return 0.5 - float(state(100, 1 + i + j * order)) * 2.0**-64


def conforming(order, i, j):
    """The same with sqrt(order) added to the diagonal."""
    return netlib(order, i, j) + (math.sqrt(order) if i == j else 0.0)


def icl(order, i, j):
    """hpl-ai: the state advances before the first element."""
    return float(state(1, 1 + i + j * order)) * 2.0**-64 - 0.5


def icl_b(order, i, _):
    """hpl-ai: the right-hand side is a stream of its own."""
    return float(state(2, 1 + i)) * 2.0**-64 - 0.5


def openmxp(order, i, j):
    """RIKEN's hpl-ai and OpenMxP: the state as a signed number."""
    x = state(42, 1 + i + j * order)
    return float(x - MODULUS if x >= MODULUS // 2 else x) * float.fromhex("0x1.fffffffffffffp-65")


def fasi_higham(_, i, j):
    """Fasi and Higham, Matrices with tunable infinity-norm condition number (2021): alpha = beta / 2."""
    alpha = BETA / 2
    first = -alpha if i > j else 1.0 if i == j else -BETA
    return first + alpha * BETA * min(i, j)


MATRICES = {"conforming": conforming, "icl": icl, "openmxp": openmxp, "fasi-higham": fasi_higham}


def main():
    print("matrix,what,order,row,column,value_hex")
    for order, rows in ((1, [0]), (8, [0, 1, 4, 7]), (1000, [0, 63, 998, 999]),
                        (262144, [0, 131072, 262143])):
        for name, element in MATRICES.items():
            for i in rows:
                for j in rows:
                    print(f"{name},element,{order},{i},{j},{element(order, i, j).hex()}")
        for i in rows:
            print(f"conforming,element,{order},{i},{order},{netlib(order, i, order).hex()}")
            print(f"openmxp,element,{order},{i},{order},{openmxp(order, i, order).hex()}")
            print(f"icl-b,element,{order},{i},0,{icl_b(order, i, 0).hex()}")
            if order <= 1000:  # the dominant diagonal, rounded once
                for name in "icl", "openmxp":
                    total = math.fsum(abs(MATRICES[name](order, i, j)) for j in range(order) if j != i)
                    print(f"{name},diagonal,{order},{i},{i},{total.hex()}")


if __name__ == "__main__":
    main()
