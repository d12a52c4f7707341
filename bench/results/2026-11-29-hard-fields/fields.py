"""fields.py FOLDER: the matrices of doc/amg.md, Hard fields, as Matrix Market files; NumPy, SciPy, and pyamg for rot*."""
import numpy as np, scipy.sparse as sp, sys
FOLDER=sys.argv[1]
def save(name, A):
    A=sp.coo_matrix(A); L=sp.tril(A).tocoo()
    with open(FOLDER+'/'+name+'.mtx','w') as f:
        f.write("%%MatrixMarket matrix coordinate real symmetric\n")
        f.write("%d %d %d\n"%(A.shape[0],A.shape[1],L.nnz))
        np.savetxt(f, np.c_[L.row+1,L.col+1,L.data], fmt="%d %d %.17g")
def lap1(n,h=1.0): return sp.diags([-1.,2.,-1.],[-1,0,1],shape=(n,n))
def m1(n): return sp.diags([1/6.,4/6.,1/6.],[-1,0,1],shape=(n,n))
I=sp.identity
def k3(a,b,c): return sp.kron(sp.kron(a,b),c)
# 7-point FD anisotropy 1000:1 in 3D: eps in x, and 1,1,1000
n=32
for nm,(ex,ey,ez) in {'fd_1_1_1000':(1,1,1000),'fd_1000_1000_1':(1000,1000,1),'fd_1_30_1000':(1,30,1000)}.items():
    save(nm, k3(lap1(n)*ez,I(n),I(n))+k3(I(n),ey*lap1(n),I(n))+k3(I(n),I(n),ex*lap1(n)))
# 2-D FD
n=150
save('fd2_1000', sp.kron(1000*lap1(n),I(n))+sp.kron(I(n),lap1(n)))
# 2-D Q1 FE anisotropy
save('q2_1000', sp.kron(1000*lap1(n),m1(n))+sp.kron(m1(n),lap1(n)))
# 3-D Q1
n=32
for nm,(ex,ey,ez) in {'q_1_1_1000':(1,1,1000),'q_1000_1000_1':(1000,1000,1),'q_1_30_1000':(1,30,1000)}.items():
    save(nm, ez*k3(lap1(n),m1(n),m1(n))+ey*k3(m1(n),lap1(n),m1(n))+ex*k3(m1(n),m1(n),lap1(n)))
# rotated 2-D anisotropy, FE
try:
    from pyamg.gallery import diffusion_stencil_2d, stencil_grid
    for t in (0,30,45):
        save('rot%d'%t, stencil_grid(diffusion_stencil_2d(epsilon=0.001,theta=np.pi*t/180,type='FE'),(150,150)))
        save('rotfd%d'%t, stencil_grid(diffusion_stencil_2d(epsilon=0.001,theta=np.pi*t/180,type='FD'),(150,150)))
except Exception as e: print(e)
# contrast: FD harmonic coefficients: 1000 random cells blocks
rng=np.random.default_rng(5)
def contrast(n,blocks,expo,kind):
    # cell coefficients, n cells per dir, FV on cells with Dirichlet
    b=blocks
    if kind=='blocks': c=10.0**(rng.uniform(-expo/2,expo/2,(b,b,b))); k=np.kron(c,np.ones((n//b,)*3))
    if kind=='spots':
        k=np.ones((n,n,n)); k.ravel()[rng.choice(n**3,1000,replace=False)]=10.0**expo
    if kind=='lows':
        k=np.ones((n,n,n)); k.ravel()[rng.choice(n**3,1000,replace=False)]=10.0**-expo
    if kind=='cells': k=10.0**(rng.uniform(-expo/2,expo/2,(n,n,n)))
    if kind=='bin': k=np.where(rng.random((b,b,b))<0.5,1,10.0**expo); k=np.kron(k,np.ones((n//b,)*3))
    return k
def fv(k):
    n=k.shape[0]; N=n**3; idx=np.arange(N).reshape(k.shape); r=[];c=[];v=[];d=np.zeros(N)
    for ax in range(3):
        a=np.take(idx,range(n-1),ax).ravel(); b=np.take(idx,range(1,n),ax).ravel(); kk=k.ravel()
        t=2/(1/kk[a]+1/kk[b]); r+=[a,b]; c+=[b,a]; v+=[-t,-t]; np.add.at(d,a,t); np.add.at(d,b,t)
        for e in (0,n-1):
            s=np.take(idx,e,ax).ravel(); d[s]+=2*kk[s]
    r.append(np.arange(N)); c.append(np.arange(N)); v.append(d)
    return sp.csr_matrix((np.concatenate(v),(np.concatenate(r),np.concatenate(c))))
def q1(k):
    # Q1 FE on cube of n cells, Dirichlet all faces
    n=k.shape[0]; nn=n+1
    K=np.array([[1,-1],[-1,1.]]); M=np.array([[2,1],[1,2.]])/6
    E=np.kron(np.kron(K,M),M)+np.kron(np.kron(M,K),M)+np.kron(np.kron(M,M),K)
    z,y,x=np.meshgrid(*[np.arange(n)]*3,indexing='ij')
    nodes=np.stack([((z+a)*nn+(y+b))*nn+(x+c) for a in (0,1) for b in (0,1) for c in (0,1)],-1).reshape(-1,8)
    r=np.repeat(nodes,8,1).ravel(); c=np.tile(nodes,(1,8)).ravel(); v=(k.ravel()[:,None]*E.ravel()[None]).ravel()
    A=sp.csr_matrix((v,(r,c)),shape=(nn**3,)*2)
    i=np.arange(nn**3).reshape(nn,nn,nn)[1:-1,1:-1,1:-1].ravel()
    return A[i][:,i]
for kind in ('blocks','spots','lows','cells','bin'):
    k=contrast(30 if kind!='blocks' else 30,10,6,kind)
    save('fv_'+kind, fv(k)); save('q1_'+kind, q1(k))
# power law
def ba(n,m,seed):
    rng=np.random.default_rng(seed); t=np.empty(2*n*m,dtype=np.int64); L=0; r=[];c=[]
    for i in range(1,n):
        if L==0: tg=np.zeros(1,dtype=np.int64)
        else: tg=np.unique(t[rng.integers(0,L,m)])
        for j in tg: r.append(i); c.append(j)
        k=len(tg); t[L:L+k]=tg; t[L+k:L+2*k]=i; L+=2*k
    r=np.array(r);c=np.array(c)
    return r,c
for n in (10000,100000):
    for m in (2,5):
        r,c=ba(n,m,1)
        for w in ('u','w'):
            v=np.ones(len(r)) if w=='u' else 10.0**np.random.default_rng(2).uniform(-2,2,len(r))
            A=sp.coo_matrix((-v,(r,c)),shape=(n,n)).tocsr(); A=A+A.T
            d=-np.asarray(A.sum(1)).ravel(); L=A+sp.diags(d)
            save('ba_%d_%d_%s'%(n,m,w), L)
            if w=='u': L=L.tolil(); L[0,0]+=1; save('bag_%d_%d'%(n,m), L.tocsr())
