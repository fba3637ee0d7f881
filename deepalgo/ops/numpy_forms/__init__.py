"""Operations that NumPy has no function for, in NumPy: source brings their text along, so each module needs NumPy alone."""
